import { css } from "../../../elements/element.ts";

export const settingsStyles = css`
  .page {
    max-inline-size: 64rem;
  }
  .stack,
  .groups {
    display: grid;
    gap: 0.625rem;
  }
  .groups {
    gap: 1.5rem;
  }
  fieldset {
    border: 0;
    display: grid;
    gap: 0.375rem;
    margin: 0;
    padding: 0;
  }
  legend,
  h2 {
    font-size: 1rem;
    font-weight: 600;
    padding: 0;
  }
  legend {
    margin-block-end: 0.375rem;
  }
  .facts .muted,
  .tick .muted {
    display: block;
  }
  .facts {
    display: grid;
    gap: 0.25rem 1.5rem;
    grid-template-columns: minmax(10rem, auto) minmax(0, 1fr);
    margin: 0;
  }
  .facts dt {
    color: var(--_muted);
  }
  .facts dd {
    margin: 0;
  }
  .two {
    display: grid;
    gap: 0.5rem 2rem;
    grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr));
  }
  .table input[type="number"] {
    background: var(--_surface);
    border: 1px solid var(--_edge);
    border-radius: var(--_radius);
    color: inherit;
    font: inherit;
    inline-size: 9rem;
    min-block-size: 2.75rem;
    padding: 0.375rem 0.75rem;
  }
  summary {
    cursor: pointer;
    font-weight: 600;
    min-block-size: 2.75rem;
    padding-block: 0.625rem;
  }
  .sample {
    align-items: center;
    display: flex;
    flex-wrap: wrap;
    gap: 0.625rem;
    justify-content: space-between;
  }
  .warn {
    color: var(--_warn);
  }
  @media (width < 45rem) {
    .facts {
      grid-template-columns: minmax(0, 1fr);
    }
    .facts dd {
      margin-block-end: 0.5rem;
    }
  }
`;

import { css } from "../../../elements/element.ts";

export const secretPlaceStyles = css`
  .stack {
    display: grid;
    gap: 0.625rem;
  }
  .secret {
    background: var(--_surface);
    border: 1px solid var(--_edge);
    border-radius: var(--_radius);
    color: inherit;
    font: inherit;
    font-family: var(--_mono);
    inline-size: 100%;
    min-block-size: 2.75rem;
    padding: 0.375rem 0.75rem;
  }
  fieldset {
    border: 0;
    display: grid;
    gap: 0.25rem;
    margin: 0;
    padding: 0;
  }
  legend {
    font-weight: 600;
    padding: 0;
  }
  .warn {
    color: var(--_warn);
  }
`;

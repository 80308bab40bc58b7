import { css } from "../../../elements/element.ts";

export const auditStyles = css`
  .page {
    max-inline-size: 80rem;
  }
  code {
    font-size: 0.8125rem;
    overflow-wrap: anywhere;
  }
  .filters {
    align-items: end;
    display: grid;
    gap: 0.625rem;
    grid-template-columns: repeat(auto-fit, minmax(min(8rem, 100%), 1fr));
  }
  .filters label,
  .label {
    display: grid;
    font-size: 0.8125rem;
    font-weight: 600;
    gap: 0.25rem;
  }
  .filters input[name],
  .filters select {
    font-size: 0.9375rem;
    font-weight: 400;
    inline-size: 100%;
  }
  input[type="date"] {
    background: var(--_surface);
    border: 1px solid var(--_edge);
    border-radius: var(--_radius);
    color: inherit;
    font-family: inherit;
    min-block-size: 2.75rem;
    padding: 0.375rem 0.5rem;
  }
  td p,
  .page p {
    margin: 0;
  }
  th,
  .tag {
    white-space: nowrap;
  }
  .problem {
    color: var(--_danger);
  }
  .good {
    color: var(--_success);
  }
  summary {
    cursor: pointer;
    min-block-size: 1.5rem;
    white-space: nowrap;
  }
  pre {
    max-inline-size: 40rem;
    overflow: auto;
    white-space: pre-wrap;
  }
`;

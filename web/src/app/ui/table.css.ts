import { css } from "../../elements/element.ts";

/** Tables; where they have too little room each row is a list of labels and values. */
export const tableStyles = css`
  .table {
    container-type: inline-size;
    overflow-x: auto;
    position: relative;
  }
  table {
    border-collapse: collapse;
    inline-size: 100%;
  }
  th {
    color: var(--_muted);
    font-size: 0.8125rem;
    font-weight: 600;
    text-align: start;
  }
  th,
  td {
    overflow-wrap: break-word;
    border-block-end: 1px solid var(--_line);
    padding: 0.5rem 0.625rem;
    vertical-align: baseline;
  }
  td button {
    font-size: 0.875rem;
    min-block-size: 2.25rem;
    padding: 0.25rem 0.75rem;
    white-space: nowrap;
  }
  td button:is(.quiet, .danger) {
    border-color: var(--_line);
  }
  td .actions {
    gap: 0.375rem;
  }
  td askback-time {
    white-space: nowrap;
  }
  @container (width >= 45rem) {
    td .actions {
      flex-wrap: nowrap;
    }
  }
  @media (pointer: coarse) {
    td button {
      min-block-size: 2.75rem;
    }
  }
  @container (width < 45rem) {
    thead {
      block-size: 1px;
      clip-path: inset(50%);
      overflow: hidden;
      position: absolute;
    }
    tbody,
    tr,
    td,
    table {
      display: block;
    }
    tr {
      border-block-end: 1px solid var(--_line);
      padding-block: 0.5rem;
    }
    td {
      border: 0;
      padding-block: 0.125rem;
    }
    td[data-label] {
      display: grid;
      gap: 0.75rem;
      grid-template-columns: minmax(6rem, 30%) minmax(0, 1fr);
    }
    td[data-label]:has(> div:empty) {
      display: none;
    }
    td[data-label]::before {
      color: var(--_muted);
      content: attr(data-label);
      font-size: 0.8125rem;
    }
  }
`;

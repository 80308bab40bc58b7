import { css } from "../../elements/element.ts";

/** Tables; where they have too little room each row is a list of labels and values. */
export const table = css`
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
  td .danger {
    background: none;
    border-color: transparent;
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
    td:not([data-label]) :is(.danger, .quiet) {
      padding-inline: 0.25rem;
    }
    td[data-label] {
      display: grid;
      gap: 0.75rem;
      grid-template-columns: minmax(6rem, 30%) minmax(0, 1fr);
    }
    td[data-label]::before {
      color: var(--_muted);
      content: attr(data-label);
      font-size: 0.8125rem;
    }
  }
`;

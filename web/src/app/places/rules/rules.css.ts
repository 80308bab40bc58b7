import { css } from "../../../elements/element.ts";

export const ruleStyles = css`
  .page {
    max-inline-size: 80rem;
  }
  code {
    font-size: 0.875rem;
    overflow-wrap: anywhere;
  }
  .filters {
    align-items: center;
    display: flex;
    flex-wrap: wrap;
    gap: 0.625rem;
  }
  .filters .search {
    flex: 1 1 14rem;
    max-inline-size: 24rem;
  }
  td p {
    margin: 0;
  }
  th,
  td button,
  .tag {
    white-space: nowrap;
  }
  .covers > * + *,
  .covers + .tag,
  .tag + .tag {
    margin-inline-start: 0.375rem;
  }
  .problem,
  .warn {
    color: var(--_danger);
  }
  .built-in h2,
  h3 {
    font-size: 1rem;
    font-weight: 600;
  }
  summary {
    cursor: pointer;
    padding-block: 0.625rem;
  }
  .built-in ul,
  .calls {
    list-style: none;
    margin: 0;
    padding: 0;
  }
  .built-in li {
    border-block-end: 1px solid var(--_line);
    padding: 0.25rem 1rem;
  }
  .used {
    float: inline-end;
  }
  .times {
    white-space: nowrap;
  }
  .editor {
    display: grid;
    gap: 0.75rem;
  }
  .editor p {
    margin: 0;
  }
  .editor > .actions {
    background: var(--_surface);
    inset-block-end: -1.25rem;
    margin-block: 0 -1.25rem;
    padding-block: 0.75rem 1.25rem;
    position: sticky;
  }
  .editor label:not(.tick) {
    display: grid;
    font-weight: 600;
    gap: 0.25rem;
  }
  .editor input[type="text"],
  .editor select {
    font-weight: 400;
    inline-size: 100%;
  }
  .editor .code {
    font-family: ui-monospace, monospace;
  }
  .fields {
    display: grid;
    gap: 0.75rem;
    grid-template-columns: repeat(auto-fit, minmax(min(12rem, 100%), 1fr));
  }
  .tick {
    align-items: start;
    display: flex;
    gap: 0.625rem;
  }
  .tick input {
    block-size: 1.25rem;
    flex: none;
    inline-size: 1.25rem;
    margin: 0.125rem 0 0;
  }
  .verdict {
    font-weight: 600;
  }
  .calls {
    max-block-size: 16rem;
    overflow: auto;
  }
  .calls li {
    border-block-end: 1px solid var(--_line);
    padding-block: 0.375rem;
  }
  .calls .muted {
    display: block;
  }
`;

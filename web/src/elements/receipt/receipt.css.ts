import { replaceStyles } from "../element.ts";
import { receiptStyles } from "../request.css.ts";

const rules = replaceStyles(receiptStyles);

/** The collapsed line of an answered request and what it opens to. */
rules`
  summary {
    align-items: start;
    border-radius: calc(var(--_radius) * 1.5);
    cursor: pointer;
    display: flex;
    gap: 0.625rem;
    list-style: none;
    padding: 0.75rem 1rem;
  }
  .by {
    color: var(--_muted);
    display: block;
    font-size: 0.8125rem;
  }
  summary:hover {
    background: var(--_raised);
  }
  .tick,
  .mark {
    color: var(--_success);
  }
  .line {
    flex: 1;
  }
  .q {
    color: var(--_muted);
  }
  .a,
  .given .chosen {
    color: var(--_text);
    font-weight: 600;
  }
  .beside {
    align-items: center;
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem 0.75rem;
    padding-block-start: 0.5rem;
    padding-inline-start: 1.25rem;
  }
  .chevron {
    color: var(--_muted);
    margin-block-start: 0.125rem;
  }
  details[open] .chevron {
    rotate: 180deg;
  }
  .given {
    border-block-start: 1px solid var(--_line);
    display: grid;
    gap: 1rem;
    padding: 1rem;
  }
  .given dl {
    display: grid;
    gap: 0.875rem;
  }
  .given dt {
    color: var(--_muted);
    font-size: 0.875rem;
  }
  .given dd {
    white-space: pre-wrap;
  }
  .given dd ul {
    display: grid;
    gap: 0.125rem;
  }
  .given dd li {
    color: var(--_muted);
    display: flex;
    gap: 0.5rem;
  }
  .mark {
    flex: none;
    inline-size: 1.25rem;
  }
  .missing {
    color: var(--_muted);
    font-style: italic;
  }
`;

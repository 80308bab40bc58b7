import { css } from "../element.ts";

/** Actions: what the agent says with its link, and what connecting an account means. */
export const actionStyles = css`
  .says,
  .provider {
    display: grid;
    gap: 0.375rem;
  }
  .says {
    border-inline-start: 3px solid var(--_line);
    padding-inline-start: 0.875rem;
  }
  .says > .hint {
    font-size: 0.8125rem;
  }
  .go {
    align-items: baseline;
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 0.75rem;
  }
  .go a {
    font-weight: 600;
    padding-block: 0.375rem;
  }
  .go .hint,
  .provider li,
  .names {
    overflow-wrap: anywhere;
  }
  #connect {
    overflow-wrap: anywhere;
  }
  .provider ul {
    list-style: revert;
    padding-inline-start: 1.5rem;
  }
`;

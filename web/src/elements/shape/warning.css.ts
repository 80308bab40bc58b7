import { css } from "../element.ts";

/** The question about a text that seems to hold a secret. */
export const warningStyles = css`
  .doubt {
    border-inline-start: 4px solid var(--_edge);
    color: var(--_text);
    display: grid;
    gap: 0.5rem;
    padding-inline-start: 0.75rem;
  }
  .doubt div {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
  }
`;

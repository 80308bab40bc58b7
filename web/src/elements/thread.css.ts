import { css } from "./element.ts";

/** The conversation: messages, tools and requests in one column. */
export const conversationStyles = css`
  :host {
    max-inline-size: var(--askback-max-width, 46rem);
  }
  .messages {
    display: grid;
    gap: 1rem;
  }
  .messages > li {
    display: grid;
    gap: 0.25rem;
  }
  .parts {
    display: grid;
    gap: 0.5rem;
  }
  .parts > :empty {
    display: none;
  }
  .text {
    white-space: pre-wrap;
  }
  .none {
    color: var(--_muted);
    padding-block: 2rem;
    text-align: center;
  }
`;

import { css } from "./element.ts";

/** The conversation: messages, tools and requests in one column. */
export const conversation = css`
  :host {
    max-inline-size: var(--askback-max-width, 46rem);
  }
  ol {
    display: grid;
    gap: 1rem;
  }
  li {
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
  .who {
    color: var(--_muted);
    font-size: 0.8125rem;
    font-weight: 600;
  }
  .text {
    white-space: pre-wrap;
  }
  .user,
  .user .parts {
    justify-items: end;
  }
  .user .parts {
    inline-size: 100%;
  }
  .user .parts > * {
    max-inline-size: min(85%, 36rem);
  }
  .user .text {
    background: var(--_tint);
    border-radius: 1rem 1rem 0.25rem;
    padding: 0.5rem 0.875rem;
  }
  .none {
    color: var(--_muted);
    padding-block: 2rem;
    text-align: center;
  }
`;

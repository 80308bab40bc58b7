import { css } from "./element.ts";

/** The card of one request: header, question, states and receipt. */
export const cardStyles = css`
  :host {
    max-inline-size: var(--askback-max-width, 46rem);
  }
  .card {
    background: var(--_surface);
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) * 1.5);
  }
  .asker {
    border-block-end: 1px solid var(--_line);
    color: var(--_muted);
    display: flex;
    flex-wrap: wrap;
    font-size: 0.8125rem;
    gap: 0.125rem 0.875rem;
    padding: 0.5rem 1.25rem;
  }
  .asker .icon {
    margin-inline-end: 0.25rem;
  }
  .asker b,
  .plain strong {
    color: var(--_text);
    font-weight: 600;
  }
  .link {
    border-block-start: 1px solid var(--_line);
    color: var(--_danger);
    font-size: 0.875rem;
    padding: 0.5rem 1.25rem;
  }
  .due,
  .actions > .primary {
    margin-inline-start: auto;
  }
  .body {
    display: grid;
    gap: var(--_gap);
    padding: 1.25rem;
  }
  .title {
    font-size: 1.1875rem;
    line-height: 1.3;
  }
  .title,
  .strong {
    font-weight: 600;
  }
  .description {
    white-space: pre-wrap;
  }
  .description,
  .lead {
    display: grid;
    gap: 0.5rem;
  }
  .box,
  .sure {
    background: var(--_danger-tint);
    border-inline-start: 4px solid var(--_danger);
    border-radius: var(--_radius);
    padding: 0.75rem 1rem;
  }
  .box ul,
  .retry {
    padding-block-start: 0.5rem;
  }
  .box a {
    color: var(--_danger);
    display: inline-block;
    font-weight: 600;
    min-block-size: 1.5rem;
  }
  .actions {
    align-items: center;
    display: flex;
    flex-wrap: wrap;
    gap: 0.625rem;
  }
  .actions .note {
    flex-basis: 100%;
    order: -1;
  }
  .sure {
    display: grid;
    gap: 0.75rem;
  }
  .plain {
    align-items: start;
    color: var(--_muted);
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 0.625rem;
    padding: 0.75rem 1rem;
  }
  .plain .icon {
    margin-block-start: 0.125rem;
  }
  .plain > div {
    flex: 1;
  }
  @media (width < 30rem) {
    .body,
    .link,
    .asker {
      padding-inline: 1rem;
    }
    .actions button:not(.quiet) {
      flex: 1 0 auto;
    }
    .actions .quiet {
      padding-inline: 0.25rem;
    }
  }
  .other {
    display: grid;
    gap: 0.25rem;
  }
  .options + .other {
    margin-inline-start: 2rem;
  }
`;

/** The styles of receipts, which come with what draws them. */
export const receiptStyles = css``;

/** The styles of Markdown, which come with what draws it. */
export const markdownStyles = css``;

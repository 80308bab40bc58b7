import { css } from "../element.ts";

/** An approval: what would run, what is said about it, and the choices. */
export const approvals = css`
  .flag {
    background: var(--_danger-tint);
    border-radius: 1rem;
    color: var(--_danger);
    font-size: 0.8125rem;
    font-weight: 600;
    padding: 0.125rem 0.625rem;
  }
  .place {
    color: var(--_muted);
    font-size: 0.875rem;
    margin-inline-start: auto;
  }
  .place button,
  .more,
  .aside summary {
    color: var(--_muted);
    display: inline-flex;
    font-size: 0.875rem;
    font-weight: 400;
    min-block-size: 2.75rem;
    padding: 0.625rem 0;
    text-decoration: underline;
    text-underline-offset: 0.15em;
  }
  .name {
    color: var(--_muted);
    font-size: 0.8125rem;
    font-weight: 400;
  }
  .says {
    border-inline-start: 3px solid var(--_line);
    display: grid;
    gap: 0.25rem;
    padding-inline-start: 0.875rem;
  }
  .call,
  .part {
    display: grid;
    gap: 0.25rem;
  }
  .call {
    gap: 0.75rem;
  }
  .code {
    background: var(--_raised);
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    font-family: var(--_mono);
    font-size: 0.875rem;
    padding: 0.625rem 0.75rem;
    white-space: pre-wrap;
  }
  .code,
  .code * {
    direction: ltr;
    unicode-bidi: isolate;
  }
  .more {
    justify-self: start;
  }
  .add,
  .del,
  .hunk,
  .gap {
    display: block;
    margin-inline: -0.75rem;
    padding-inline: 0.75rem;
  }
  .add {
    background: var(--_success-tint);
  }
  .del {
    background: var(--_danger-tint);
  }
  .hunk,
  .gap {
    color: var(--_muted);
  }
  .gap {
    border-block: 1px dashed var(--_edge);
    margin-block: 0.375rem;
    text-align: center;
  }
  .esc {
    background: var(--_danger);
    border-radius: 0.25rem;
    color: var(--_on-danger);
    padding-inline: 0.2em;
  }
  .box > ul {
    padding: 0;
  }
  .why ul,
  .listed {
    list-style: disc;
    padding-inline-start: 1.25rem;
  }
  .calm {
    border-color: var(--_edge);
  }
  .field .code {
    min-block-size: 2.75rem;
  }
  ::details-content {
    box-sizing: inherit;
  }
  .aside textarea {
    min-block-size: 4rem;
  }
  .actions > .arm {
    margin-inline-start: auto;
  }
  .actions > .arm > button {
    flex-shrink: 1;
  }
  .arm button[aria-disabled]:not(#back) {
    opacity: 0.6;
  }
  .arm .primary[aria-disabled] {
    background: var(--_accent);
    color: var(--_on-accent);
  }
  dialog {
    background: none;
    border: 0;
    color: inherit;
    inline-size: 46rem;
    margin: auto;
    max-inline-size: calc(100% - 2rem);
    padding: 0;
  }
  ::backdrop {
    background: #0008;
  }
  .no {
    color: var(--_danger);
  }
  .auto .a {
    color: var(--_muted);
    font-weight: 400;
  }
  @media (width < 30rem) {
    .actions > .arm {
      flex-basis: 100%;
    }
  }
`;

import { css } from "../../elements/element.ts";

/** Forms with choices, and tables of names: what Secrets and Settings have in common. */
export const formStyles = css`
  code {
    overflow-wrap: anywhere;
  }
  td .muted {
    display: block;
  }
  .stack label:not(.tick) {
    font-weight: 600;
  }
  .tick {
    align-items: start;
    display: flex;
    gap: 0.625rem;
    min-block-size: 1.75rem;
  }
  @media (pointer: coarse) {
    .tick {
      min-block-size: 2.75rem;
      padding-block: 0.5rem;
    }
  }
  .tick input {
    accent-color: var(--_accent);
    block-size: 1.25rem;
    flex: none;
    inline-size: 1.25rem;
    margin: 0.125rem 0 0;
  }
`;

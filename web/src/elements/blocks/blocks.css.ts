import { css } from "../element.ts";

/** Pictures, files and tool calls in a conversation. */
export const blocks = css`
  .tool {
    color: var(--_muted);
    font-size: 0.875rem;
  }
  .tool summary {
    align-items: center;
    cursor: pointer;
    display: inline-flex;
    gap: 0.5rem;
    list-style: none;
    min-block-size: 1.75rem;
  }
  .tool pre {
    background: var(--_raised);
    border-radius: var(--_radius);
    margin-block-start: 0.25rem;
    overflow-x: auto;
    padding: 0.625rem 0.75rem;
  }
  .file {
    align-items: center;
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 0.75rem;
    overflow-wrap: anywhere;
  }
  .file img {
    flex: none;
    max-block-size: 20rem;
  }
  .file .hint {
    color: var(--_muted);
    font-size: 0.875rem;
  }
  img {
    block-size: auto;
    border-radius: var(--_radius);
    max-inline-size: 100%;
  }
`;

import { css } from "../element.ts";

/** A list of options that scrolls below its filter or search. */
export const listStyles = css`
  .options.scroll {
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    gap: 0;
    grid-auto-rows: max-content;
    max-block-size: 18rem;
    overflow-y: auto;
    padding: 0.25rem;
  }
  .scroll label {
    border-color: transparent;
  }
`;

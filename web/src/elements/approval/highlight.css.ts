import { css } from "../element.ts";

/** The colours of code. */
export const highlightStyles = css`
  .remark {
    color: var(--_muted);
  }
  .keyword {
    color: light-dark(#7a3ea8, #d2a8ff);
  }
  .literal {
    color: var(--_success);
  }
  .digit {
    color: light-dark(#0b5d8f, #8cc8f5);
  }
`;

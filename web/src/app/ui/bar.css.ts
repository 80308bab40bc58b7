import { css } from "../../elements/element.ts";

/** The bar above a list or an open item: its search and filters, the way back, and its tools. */
export const barStyles = css`
  .pane.detail {
    container: detail / inline-size;
  }
  .back {
    align-items: center;
    display: none;
    font-weight: 600;
    gap: 0.25rem;
    min-block-size: 2.75rem;
    min-inline-size: 2.75rem;
    text-decoration: none;
  }
  @media (width < 60rem) {
    .back {
      display: inline-flex;
    }
  }
  button.tool {
    font-size: 0.875rem;
    font-weight: 500;
    padding-inline: 0.5rem;
    position: relative;
    white-space: nowrap;
  }
  @container detail (width < 32rem) {
    button.tool {
      inline-size: 2.75rem;
    }
    .tool > span {
      block-size: 1px;
      clip-path: inset(50%);
      inline-size: 1px;
      overflow: hidden;
      position: absolute;
    }
  }
  @container detail (width < 22rem) {
    .back > span {
      display: none;
    }
  }
  .bar {
    background: var(--_ground);
    border-block-end: 1px solid var(--_line);
    display: grid;
    gap: 0.5rem;
    inset-block-start: 0;
    padding: 0.625rem 1rem;
    z-index: 1;
  }
  /* In a low window, such as at 400 % zoom, it would cover half of what is read. */
  @media (height >= 24rem) {
    .bar {
      position: sticky;
    }
  }
  .search {
    position: relative;
  }
  .search .icon {
    color: var(--_muted);
    inset-block-start: 0.75rem;
    inset-inline-start: 0.75rem;
    pointer-events: none;
    position: absolute;
  }
  .search input {
    inline-size: 100%;
    padding-inline-start: 2.375rem;
  }
  .chips {
    display: flex;
    flex-wrap: wrap;
    gap: 0.375rem;
  }
  button.chip {
    background: var(--_surface);
    border-color: var(--_line);
    border-radius: 99rem;
    color: var(--_muted);
    font-size: 0.8125rem;
    font-weight: 500;
    gap: 0.25rem;
    min-block-size: 1.75rem;
    padding: 0 0.625rem;
    position: relative;
  }
  /* On a touch screen what can be pressed is 44 px high, and reaches half-way to the next row. */
  @media (pointer: coarse) {
    .chips {
      gap: 0.75rem 0.375rem;
      padding-block: 0.25rem;
    }
    button.chip {
      min-block-size: 2rem;
    }
    button.chip::after {
      content: "";
      inset: -0.4375rem -1px;
      position: absolute;
    }
  }
  button.chip[aria-pressed="true"] {
    background: var(--_text);
    border-color: var(--_text);
    color: var(--_surface);
  }
`;

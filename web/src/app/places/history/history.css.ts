import { css } from "../../../elements/element.ts";

/** The rows stand one below the other; those of the inbox are placed by its list. */
export const historyStyles = css`
  .rows > li {
    position: static;
  }
  .rows .row {
    grid-template-columns: minmax(0, 1fr) auto;
  }
  .rows .row > .s {
    grid-column: 1 / -1;
  }
  .more {
    margin: 1rem;
  }
  .verdict {
    align-items: center;
    display: flex;
    flex: 1;
    flex-wrap: wrap;
    gap: 0.25rem 0.75rem;
    min-block-size: 2.75rem;
  }
  .verdict a {
    align-content: center;
    min-block-size: 1.5rem;
  }
  .verdict .end {
    margin-inline-start: auto;
  }
`;

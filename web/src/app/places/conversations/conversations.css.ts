import { css } from "../../../elements/element.ts";

export const conversationListStyles = css`
  :host {
    --askback-page: var(--_ground);
  }
  .list > .bar {
    position: static;
  }
  /* On a phone the filters scroll away with the list. */
  @media (height >= 36rem) and (width >= 45rem) {
    .list > .bar {
      position: sticky;
    }
  }
  .rows .row {
    grid-template-columns: 1.75rem minmax(0, 1fr) auto;
  }
  .rows .mark {
    color: var(--_muted);
    font-size: 0.6875rem;
    font-weight: 650;
  }
  .rows .s {
    align-items: center;
    display: flex;
    gap: 0.5rem;
  }
  .rows .s > .line {
    flex: 1;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .rows .waits {
    background: var(--_tint);
    color: var(--_accent);
    flex: none;
  }
  .more {
    margin: 1rem;
  }
  .detail {
    display: flex;
    flex-direction: column;
    scroll-padding-block-start: 4rem;
  }
  .detail > .bar {
    align-items: center;
    display: flex;
    flex: none;
    gap: 0 0.75rem;
    min-block-size: 3.25rem;
    padding-block: 0.25rem;
    z-index: 2;
  }
  .detail > .bar h2 {
    flex: 4 1 8rem;
    font-size: 1rem;
    font-weight: 650;
    max-inline-size: max-content;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .detail > .bar .about {
    flex: 1 1 4rem;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .detail > .bar > .tool {
    margin-inline-start: auto;
  }
  .detail > .bar > .tool ~ .tool {
    margin-inline-start: -0.75rem;
  }
  .naming {
    display: flex;
    flex: 1;
    flex-wrap: wrap;
    gap: 0.5rem;
  }
  .naming input {
    flex: 1 1 10rem;
    min-inline-size: 0;
  }
  @media (width < 30rem) {
    .detail > .bar .about,
    .back span {
      display: none;
    }
  }
  askback-thread {
    display: flex;
    flex: 1;
    flex-direction: column;
    inline-size: 100%;
    margin-inline: auto;
    padding: 1rem 1rem 0;
  }
`;

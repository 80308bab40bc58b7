import { css } from "../../../elements/element.ts";

export const inboxStyles = css`
  .pane.list {
    display: flex;
    flex-direction: column;
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
  .list .head > .about {
    flex: 1 1 4rem;
    font-size: 0.8125rem;
  }
  .list .head {
    column-gap: 0.5rem;
  }
  .list .head > .actions {
    flex-wrap: nowrap;
    gap: 0;
  }
  .list .head button {
    font-size: 0.8125rem;
    font-weight: 500;
    padding-inline: 0.5rem;
  }
  @media (width < 45rem) {
    .list .head .help {
      display: none;
    }
    .list .head > .about {
      flex-basis: 100%;
      order: 1;
    }
  }
  .list .head button[aria-pressed="true"] {
    color: var(--_accent);
  }
  .help {
    font-size: 1rem;
  }
  .selects {
    display: flex;
    flex-wrap: wrap;
    gap: 0.375rem;
  }
  .selects:empty {
    display: none;
  }
  .selects select {
    flex: 1 1 8rem;
    font-size: 0.8125rem;
    min-block-size: 2rem;
    min-inline-size: 0;
    padding-block: 0;
  }
  @media (pointer: coarse) {
    .selects select {
      min-block-size: 2.75rem;
    }
  }
  .rows {
    flex: none;
    position: relative;
  }
  .rows > li {
    inset-inline: 0;
    position: absolute;
  }
  /* What can be pressed is larger than the box. */
  .picker {
    inline-size: 3.25rem;
    inset-block: 0;
    inset-inline-start: 0;
    padding: 0.75rem 0 0 1.125rem;
    position: absolute;
  }
  @media (hover: none) {
    .split[data-select="false"] .picker {
      pointer-events: none;
    }
  }
  .pick {
    accent-color: var(--_accent);
    block-size: 1.5rem;
    inline-size: 1.5rem;
    margin: 0;
    opacity: 0;
  }
  .split[data-select="true"] .pick,
  .pick:focus-visible,
  .pick:checked {
    opacity: 1;
  }
  .split[data-select="true"] li:has(.pick) .mark,
  li:has(.pick:focus-visible) .mark {
    visibility: hidden;
  }
  @media (hover: hover) {
    li:hover .pick {
      opacity: 1;
    }
    li:hover:has(.pick) .mark {
      visibility: hidden;
    }
  }
  .bulk {
    background: var(--_surface);
    border-block-start: 1px solid var(--_line);
    box-shadow: 0 -4px 16px #0002;
    display: grid;
    gap: 0.5rem;
    inset-block-end: 0;
    margin-block-start: auto;
    padding: 0.75rem 1rem;
    position: sticky;
    z-index: 1;
  }
  .list:has(.bulk) li > * {
    scroll-margin-block-end: 12rem;
  }
  .bulk .actions:first-child {
    gap: 0 0.25rem;
  }
  .bulk .quiet {
    font-size: 0.8125rem;
    font-weight: 500;
    min-block-size: 2rem;
    padding: 0 0.5rem;
  }
  h3 {
    font-size: 0.9375rem;
    font-weight: 600;
    padding-block: 1rem 0.25rem;
  }
  dd {
    margin: 0;
  }
  .detail > .bar {
    align-items: center;
    display: flex;
    gap: 0.25rem;
    min-block-size: 3.25rem;
    padding-block: 0.25rem;
  }
  /* The tools stand at the end, also where there is no place in the list. */
  .detail > .bar > .tool {
    margin-inline-start: auto;
  }
  .detail > .bar > .tool ~ .tool {
    margin-inline-start: 0;
  }
  .detail .body {
    padding: 0.5rem clamp(0rem, 1.5vw, 1.5rem) 2rem;
  }
  askback-request::part(card) {
    background: none;
    border: 0;
  }
  .row.read > .t {
    color: var(--_muted);
    font-weight: 400;
  }
  .group .link {
    min-block-size: 1.5rem;
    background: none;
    border: 0;
    color: var(--_accent);
    font-size: inherit;
    font-weight: 500;
    padding: 0;
    text-decoration: underline;
  }
  .detail > .bar > .n {
    margin-inline-start: 0.375rem;
    white-space: nowrap;
  }
  .origin {
    align-items: center;
    display: flex;
    flex-wrap: wrap;
    gap: 0 0.75rem;
    padding-inline: 1.25rem;
  }
  .origin a {
    align-content: center;
    min-block-size: 2.75rem;
  }
  input[type="datetime-local"] {
    background: var(--_surface);
    border: 1px solid var(--_edge);
    border-radius: var(--_radius);
    color: inherit;
    font: inherit;
    min-block-size: 2.75rem;
    padding-inline: 0.625rem;
  }
  .comments {
    display: grid;
    gap: 0.5rem;
    padding: 1rem 1.25rem;
  }
  @media (width < 30rem) {
    .comments,
    .origin {
      padding-inline: 1rem;
    }
    .detail > .bar > .n {
      display: none;
    }
  }
  .comments .by,
  .comments form {
    align-items: center;
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
  }
  .comments .said {
    overflow-wrap: anywhere;
    white-space: pre-wrap;
  }
  .comments textarea {
    flex: 1 1 16rem;
    min-inline-size: 0;
  }
  .people {
    border: 0;
    margin: 0;
    max-block-size: 20rem;
    overflow: auto;
    padding: 0;
  }
  .moments {
    display: grid;
    gap: 0.5rem;
    padding-block: 0.75rem;
  }
  .moments button {
    justify-content: space-between;
  }
  .moments .muted {
    font-size: 0.8125rem;
    font-weight: 400;
  }
`;

import { css } from "../../elements/element.ts";

/** What all places share: their head, panes, rows, chips, tables and states. */
export const uiStyles = css`
  :host {
    --_ground: light-dark(#fbfbfa, #131314);
    --_sunken: light-dark(#f4f4f2, #232326);
    --_warn: light-dark(#7a4f00, #f0c26b);
    --_warn-tint: light-dark(#fff4dc, #33270e);
    block-size: 100%;
    font-size: 0.9375rem;
  }
  button {
    padding: 0.5rem 1rem;
  }
  button.icon-only {
    inline-size: 2.75rem;
    padding: 0;
  }
  input[type="search"],
  input[type="text"],
  select,
  textarea {
    background: var(--_surface);
    border: 1px solid var(--_edge);
    border-radius: var(--_radius);
    color: inherit;
    font: inherit;
    max-inline-size: 100%;
    min-block-size: 2.75rem;
    padding: 0.375rem 0.75rem;
  }
  select {
    text-overflow: ellipsis;
  }
  .head {
    align-items: center;
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 0.625rem;
    min-block-size: 2.75rem;
  }
  .head h1 {
    font-size: 1.125rem;
    font-weight: 650;
  }
  .about,
  .muted {
    color: var(--_muted);
    font-size: 0.875rem;
  }
  .bar > .head > .about {
    flex: none;
  }
  @media (width >= 60rem) {
    .head > .about {
      flex: 1 1 8rem;
    }
  }
  .head > .actions {
    margin-inline-start: auto;
  }
  .actions {
    align-items: center;
    display: flex;
    flex-wrap: wrap;
    gap: 0.625rem;
  }
  @media (width < 45rem) {
    .page > .head > .actions {
      inline-size: 100%;
      margin-block-start: 0.375rem;
    }
    .page > .head > .actions > button {
      flex: 1 1 auto;
      padding-inline: 0.5rem;
      white-space: nowrap;
    }
  }
  .actions.end {
    justify-content: end;
    margin-block-start: 1.25rem;
  }
  .page {
    block-size: 100%;
    overflow: auto;
    padding: 0.875rem clamp(1rem, 3vw, 2rem) 3rem;
  }
  .page > * + * {
    margin-block-start: 1rem;
  }
  .split {
    block-size: 100%;
    display: grid;
    grid-template-columns: minmax(18rem, 24rem) minmax(0, 1fr);
  }
  .pane {
    block-size: 100%;
    min-block-size: 0;
    overflow: auto;
    position: relative;
  }
  .pane:focus {
    outline: none;
  }
  .pane:focus-visible {
    outline: 3px solid var(--_focus);
    outline-offset: -3px;
  }
  .pane.list {
    border-inline-end: 1px solid var(--_line);
  }
  @media (width < 60rem) {
    .split {
      grid-template-columns: minmax(0, 1fr);
    }
    .split[data-open="true"] > .list,
    .split[data-open="false"] > .detail {
      display: none;
    }
    .pane.list {
      border: 0;
    }
  }
  .n {
    font-variant-numeric: tabular-nums;
  }
  .group {
    align-items: baseline;
    color: var(--_muted);
    display: flex;
    font-size: 0.8125rem;
    font-weight: 600;
    justify-content: space-between;
    min-block-size: 2.5rem;
    padding: 0.75rem 1rem 0.25rem;
  }
  .group h2 {
    font: inherit;
  }
  .row {
    border-block-end: 1px solid var(--_line);
    color: inherit;
    display: grid;
    gap: 0.125rem 0.625rem;
    grid-template-columns: 1.75rem minmax(0, 1fr) auto;
    padding: 0.625rem 1rem;
    position: relative;
    text-decoration: none;
  }
  .row:hover {
    background: var(--_sunken);
  }
  .row:focus-visible {
    outline-offset: -3px;
  }
  .row[aria-current="true"] {
    background: var(--_tint);
  }
  .row[aria-current="true"] > .mark.ask {
    background: var(--_surface);
  }
  .row[aria-current="true"]::before {
    background: var(--_accent);
    content: "";
    inline-size: 3px;
    inset-block: 0;
    inset-inline-start: 0;
    position: absolute;
  }
  .row > .mark {
    background: var(--_sunken);
    block-size: 1.75rem;
    border-radius: 0.5rem;
    display: grid;
    grid-row: span 2;
    inline-size: 1.75rem;
    place-items: center;
  }
  .mark.bad {
    background: var(--_danger-tint);
    color: var(--_danger);
  }
  .mark.ask {
    background: var(--_tint);
    color: var(--_accent);
  }
  .mark.key {
    background: var(--_warn-tint);
    color: var(--_warn);
  }
  .row > .t,
  .row > .s {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .row > .t {
    font-weight: 600;
  }
  .row > .s {
    color: var(--_muted);
    font-size: 0.8125rem;
    grid-column: 2 / -1;
  }
  .when {
    color: var(--_muted);
    font-size: 0.8125rem;
    font-variant-numeric: tabular-nums;
    white-space: nowrap;
  }
  .when.soon {
    color: var(--_warn);
    font-weight: 600;
  }
  .tag {
    border-radius: 99rem;
    background: var(--_sunken);
    display: inline-block;
    font-size: 0.8125rem;
    font-weight: 600;
    padding: 0 0.5rem;
  }
  .tag.good {
    background: var(--_success-tint);
    color: var(--_success);
  }
  .tag.warn {
    background: var(--_warn-tint);
    color: var(--_warn);
  }
  .tag.bad {
    background: var(--_danger-tint);
    color: var(--_danger);
  }
  .empty {
    color: var(--_muted);
    display: grid;
    gap: 0.5rem;
    justify-items: center;
    margin: 3rem auto;
    max-inline-size: 34rem;
    padding-inline: 1.25rem;
    text-align: center;
  }
  .empty button {
    color: var(--_text);
  }
  .empty > .icon {
    block-size: 2rem;
    inline-size: 2rem;
  }
  .empty h2 {
    color: var(--_text);
    font-size: 1rem;
    font-weight: 600;
  }
  .sample {
    background: var(--_sunken);
    border-radius: var(--_radius);
    inline-size: 100%;
    padding: 0.75rem 1rem;
    text-align: start;
  }
  .sample pre {
    color: var(--_text);
    overflow: auto;
    white-space: pre-wrap;
  }
  .sample askback-copy {
    display: block;
    margin: 0.25rem 0 -0.5rem -1.125rem;
  }
  .keys div {
    align-items: baseline;
    display: grid;
    gap: 1rem;
    grid-template-columns: min(7rem, 25%) 1fr;
    hyphens: auto;
    padding-block: 0.125rem;
  }
  .keys + h3 {
    margin-block: 1rem 0.25rem;
  }
  kbd {
    border: 1px solid var(--_edge);
    border-radius: 0.25rem;
    font-family: var(--_mono);
    font-size: 0.8125rem;
    padding: 0 0.3125rem;
  }
  .check {
    align-items: center;
    display: flex;
    gap: 0.5rem;
    min-block-size: 2.75rem;
  }
  .check input {
    accent-color: var(--_accent);
    block-size: 1.5rem;
    inline-size: 1.5rem;
    margin: 0;
  }
  .loading {
    color: var(--_muted);
    padding: 1rem;
  }
  @media (forced-colors: active) {
    .row[aria-current="true"],
    button.chip[aria-pressed="true"] {
      outline: 2px solid Highlight;
      outline-offset: -2px;
    }
  }
`;

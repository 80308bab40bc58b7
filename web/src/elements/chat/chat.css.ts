import { css } from "../element.ts";

/** Messages in groups, code, tables, tool calls, pictures, files, and the ways to what is new. */
export const chatStyles = css`
  :host {
    --_page: var(--askback-page, light-dark(#f7f7f5, #131417));
    overflow-anchor: none;
  }
  .messages {
    gap: 0.375rem;
    margin-block-end: 1.5rem;
  }
  .first:not(:first-child) {
    margin-block-start: 1rem;
  }
  .messages > li {
    position: relative;
  }
  .head {
    align-items: baseline;
    display: flex;
    flex-wrap: wrap;
    gap: 0 0.5rem;
  }
  .who {
    font-size: 0.9375rem;
    font-weight: 650;
  }
  .head time {
    color: var(--_muted);
    font-size: 0.8125rem;
  }
  .avatar {
    align-self: center;
    background: var(--_tint);
    block-size: 1.75rem;
    border-radius: 0.5rem;
    color: var(--_accent);
    display: grid;
    font-size: 0.6875rem;
    font-weight: 650;
    inline-size: 1.75rem;
    place-items: center;
  }
  @media (width >= 40rem) {
    .messages > li:not(.own) {
      padding-inline-start: 2.75rem;
    }
    .avatar {
      inset-block-start: 0;
      inset-inline-start: 0;
      position: absolute;
    }
  }
  .own,
  .own .parts {
    justify-items: end;
  }
  .own .parts {
    inline-size: 100%;
  }
  .own .parts > * {
    max-inline-size: min(85%, 36rem);
  }
  .user .text {
    background: var(--_raised);
    border-radius: 0.25rem 1rem 1rem;
    padding: 0.5rem 0.875rem;
  }
  .own .text {
    background: var(--_tint);
    border-radius: 1rem 1rem 0.25rem;
  }
  .rich {
    display: grid;
    gap: 0.625rem;
    white-space: normal;
  }
  .rich p {
    white-space: pre-line;
  }
  .rich :is(ul, ol) {
    list-style: revert;
    padding-inline-start: 1.5rem;
  }
  .rich blockquote {
    border-inline-start: 3px solid var(--_edge);
    color: var(--_muted);
    display: grid;
    gap: 0.625rem;
    padding-inline-start: 0.875rem;
  }
  .rich :not(pre) > code {
    background: var(--_raised);
    border-radius: 0.25rem;
    padding: 0.1em 0.3em;
  }
  .code {
    background: var(--_raised);
    border-radius: var(--_radius);
  }
  .code-head {
    align-items: center;
    color: var(--_muted);
    display: flex;
    font-size: 0.8125rem;
    justify-content: space-between;
    padding-inline: 0.75rem 0.25rem;
  }
  .code-head button {
    font-size: inherit;
    font-weight: 500;
    min-block-size: 2rem;
    padding: 0 0.5rem;
  }
  .code pre {
    overflow-x: auto;
    padding: 0 0.75rem 0.75rem;
    white-space: pre;
  }
  .esc {
    border: 1px solid var(--_danger);
    border-radius: 0.25rem;
    color: var(--_danger);
    font-family: var(--_mono);
    font-size: 0.8125em;
  }
  .table {
    overflow-x: auto;
  }
  table {
    border-collapse: collapse;
  }
  th,
  td {
    border: 1px solid var(--_line);
    overflow-wrap: normal;
    padding: 0.3125rem 0.625rem;
    text-align: start;
    vertical-align: top;
  }
  .tool,
  .tools,
  .file .hint {
    color: var(--_muted);
    font-size: 0.875rem;
  }
  .tools {
    background: var(--_surface);
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    padding-inline: 0.75rem;
  }
  .tools .tool {
    padding-inline-start: 1.75rem;
  }
  .tools[open] {
    padding-block-end: 0.5rem;
  }
  .tool summary,
  .tools > summary {
    align-items: center;
    cursor: pointer;
    display: inline-flex;
    gap: 0.5rem;
    list-style: none;
    min-block-size: 1.75rem;
  }
  .tools > summary {
    display: flex;
    min-block-size: 2.75rem;
  }
  .tools .line {
    flex: 1;
  }
  .tools[open] > summary > .icon:last-child {
    rotate: 180deg;
  }
  .bad {
    color: var(--_danger);
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
  img {
    block-size: auto;
    border-radius: var(--_radius);
    max-inline-size: 100%;
  }
  /* Who asks, above the card, is in view with it. */
  askback-request {
    scroll-margin: 2.75rem;
  }
  askback-request[asked]::part(card) {
    border-color: var(--_accent);
  }
  .earlier {
    text-align: center;
  }
  .foot {
    background: var(--_page);
    margin-block-start: auto;
    padding-block-end: 0.75rem;
  }
  .foot .note,
  .foot .composer {
    margin-block-start: 0.5rem;
  }
  @media (height >= 30rem) {
    .foot:not(:has(.asked)) {
      inset-block-end: 0;
      position: sticky;
      z-index: 1;
    }
  }
  .ways {
    block-size: 0;
    z-index: 2;
    display: flex;
    gap: 0.5rem;
    justify-content: center;
    position: relative;
  }
  .way {
    background: var(--_surface);
    border-color: var(--_line);
    border-radius: 99rem;
    box-shadow: 0 2px 8px #0003;
    font-size: 0.875rem;
    inset-block-end: 3.25rem;
    position: relative;
    white-space: nowrap;
  }
  .way.ask {
    border-color: var(--_accent);
    color: var(--_accent);
  }
`;

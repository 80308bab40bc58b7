import { css } from "../element.ts";

/** An approval: what it is about, the danger, what would run, and the choices, which stay in sight. */
export const approvalStyles = css`
  .body {
    display: flex;
    flex-direction: column;
    padding-block-end: 0;
  }
  .asker .due {
    display: none;
  }
  .about {
    display: flow-root;
  }
  .kicker,
  .name {
    color: var(--_muted);
    font-size: 0.8125rem;
    font-weight: 400;
  }
  .place {
    color: var(--_muted);
    float: inline-end;
    font-size: 0.875rem;
    line-height: 1.75;
    margin-inline-start: 0.75rem;
  }
  q {
    quotes: "“" "”";
  }
  q:lang(de) {
    quotes: "„" "“";
  }
  .more {
    color: var(--_muted);
    display: inline-flex;
    font-size: 0.875rem;
    font-weight: 400;
    min-block-size: 2.75rem;
    padding: 0.625rem 0;
    text-decoration: underline;
    text-underline-offset: 0.15em;
  }
  @media (forced-colors: active) {
    .more {
      padding-inline: 0.625rem; /* it has a border there */
    }
  }
  .box .strong {
    color: var(--_danger);
  }
  .box ul {
    padding: 0.25rem 0 0;
  }
  .says {
    border-inline-start: 3px solid var(--_line);
    display: grid;
    gap: 0.25rem;
    padding-inline-start: 0.875rem;
  }
  .call {
    display: grid;
    gap: 0.75rem;
  }
  .cmd {
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    overflow: clip;
  }
  .head {
    align-items: baseline;
    border-block-end: 1px solid var(--_line);
    color: var(--_muted);
    display: flex;
    flex-wrap: wrap;
    font-size: 0.8125rem;
    gap: 0 1rem;
    justify-content: space-between;
    padding: 0.375rem 0.75rem;
  }
  .head .name {
    font-weight: 600;
  }
  .head code {
    color: var(--_text);
  }
  .plus {
    color: var(--_success);
    font-weight: 600;
  }
  .minus {
    color: var(--_danger);
    font-weight: 600;
  }
  .code {
    background: var(--_raised);
    font-family: var(--_mono);
    font-size: 0.875rem;
    padding: 0.625rem 0.75rem;
    white-space: pre-wrap;
  }
  textarea.code,
  .code + .more,
  dd .code,
  .rule .code,
  .field .code {
    border-radius: var(--_radius);
  }
  .cmd > .more {
    margin-inline-start: 0.75rem;
  }
  .code,
  .code * {
    direction: ltr;
    unicode-bidi: isolate;
  }
  .text {
    font: inherit;
    white-space: pre-wrap;
  }
  .value {
    white-space: pre-wrap;
  }
  .exact {
    font-family: var(--_mono);
    font-size: 0.875em;
  }
  .rows > div {
    display: grid;
    gap: 0 0.75rem;
    grid-template-columns: minmax(6rem, 25%) 1fr;
    padding: 0.5rem 0.75rem;
  }
  .rows > div + div {
    border-block-start: 1px solid var(--_line);
  }
  .rows > .block {
    grid-template-columns: 1fr;
  }
  .rows dt {
    color: var(--_muted);
    font-size: 0.875rem;
  }
  .rows dt code {
    font-size: inherit;
  }
  .add,
  .del,
  .hunk,
  .gap {
    display: block;
    margin-inline: -0.75rem;
    padding-inline: 0.75rem;
  }
  .add {
    background: var(--_success-tint);
  }
  .del {
    background: var(--_danger-tint);
  }
  .hunk,
  .gap {
    color: var(--_muted);
  }
  .gap {
    border-block: 1px dashed var(--_edge);
    margin-block: 0.375rem;
    text-align: center;
  }
  [data-n]::before {
    content: attr(data-n) / "";
    color: var(--_muted);
    display: inline-block;
    inline-size: 2.5em;
    padding-inline-end: 0.75em;
    text-align: end;
    user-select: none;
  }
  .esc {
    background: var(--_danger);
    border-radius: 0.25rem;
    color: var(--_on-danger);
    padding-inline: 0.2em;
  }
  .risk {
    color: var(--_danger);
    font-weight: 700;
    text-decoration: underline;
    text-decoration-thickness: 2px;
    text-underline-offset: 0.2em;
  }
  .why {
    color: var(--_muted);
    font-size: 0.9375rem;
  }
  .why summary {
    background: none;
    border-radius: 0.25rem;
    display: list-item;
    inline-size: fit-content;
    list-style: disclosure-closed inside;
    min-block-size: 1.75rem;
    padding: 0;
  }
  .why[open] summary {
    list-style-type: disclosure-open;
  }
  .why ul {
    display: grid;
    gap: 0.25rem;
    list-style: disc;
    padding-inline-start: 1.25rem;
  }
  .rule {
    display: grid;
  }
  .rule p {
    padding-block-start: 0.5rem;
  }
  .calm {
    background: var(--_raised);
    border-color: var(--_edge);
  }
  .field .code {
    background: var(--_surface);
    min-block-size: 2.75rem;
  }
  ::details-content {
    box-sizing: inherit;
  }
  .tools {
    display: flex;
    gap: 0 1.25rem;
    margin-block: -0.5rem;
  }
  .deadline {
    align-items: start;
    color: var(--_muted);
    display: flex;
    font-size: 0.875rem;
    gap: 0.375rem;
  }
  .body > :last-child:not(.bar) {
    margin-block-end: 1.25rem;
  }
  .bar {
    align-items: center;
    background: var(--_surface);
    border-block-start: 1px solid var(--_line);
    border-end-end-radius: calc(var(--_radius) * 1.5);
    border-end-start-radius: calc(var(--_radius) * 1.5);
    display: flex;
    flex-wrap: wrap;
    gap: 0.75rem 0.625rem;
    inset-block-end: var(--askback-bar-end, 0px);
    justify-content: end;
    margin-inline: -1.25rem;
    padding: 0.75rem 1.25rem;
    position: sticky;
    z-index: 1;
  }
  .bar > :first-child {
    margin-inline-end: auto;
  }
  .further {
    display: flex;
    flex-basis: 100%;
    flex-wrap: wrap;
    gap: 0.625rem;
    justify-content: end;
    order: -1;
  }
  #more[aria-expanded="true"] .icon {
    rotate: 180deg;
  }
  .bar button[aria-disabled]:not(#back) {
    opacity: 0.6;
  }
  .bar .primary[aria-disabled] {
    background: var(--_accent);
    color: var(--_on-accent);
  }
  :is(button, summary, textarea, input) {
    scroll-margin-block-end: 6rem;
  }
  kbd {
    border: 1px solid currentColor;
    border-radius: 0.25rem;
    font: 600 0.6875rem/1 var(--_mono);
    opacity: 0.75;
    padding: 0.1875rem 0.25rem;
  }
  .more kbd {
    margin-inline-start: 0.375rem;
  }
  :host([data-keyless]) kbd {
    display: none;
  }
  dialog {
    background: none;
    border: 0;
    color: inherit;
    inline-size: 46rem;
    margin: auto;
    max-inline-size: calc(100% - 2rem);
    padding: 0;
  }
  ::backdrop {
    background: #0008;
  }
  .no {
    color: var(--_danger);
  }
  .auto .a {
    color: var(--_muted);
    font-weight: 400;
  }
  @media (hover: none) {
    kbd {
      display: none;
    }
  }
  @media (width < 30rem) {
    .rows > div {
      grid-template-columns: 1fr;
    }
    .bar {
      margin-inline: -1rem;
      padding-inline: 1rem;
    }
    .bar > button {
      flex: 1 0 auto;
    }
    .bar > :first-child {
      margin-inline-end: 0.375rem;
    }
    .bar > #more {
      flex: none;
      padding-inline: 0.25rem;
    }
    .words {
      clip-path: inset(50%);
      inline-size: 1px;
      overflow: hidden;
      position: absolute;
      white-space: nowrap;
    }
    .further button {
      flex: 1 0 100%;
    }
    kbd {
      display: none;
    }
  }
`;

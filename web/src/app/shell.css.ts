import { css } from "../elements/element.ts";

/** The rail, the tabs of a phone, and the short messages. */
export const shellStyles = css`
  :host {
    --_ground: light-dark(#fbfbfa, #131314);
    --_sunken: light-dark(#f4f4f2, #1b1b1d);
    background: var(--_ground);
    block-size: 100dvh;
    display: grid;
    font-size: 0.9375rem;
    grid-template-columns: 14rem minmax(0, 1fr);
    grid-template-rows: auto minmax(0, 1fr);
  }
  .rail {
    background: var(--_sunken);
    border-inline-end: 1px solid var(--_line);
    display: flex;
    flex-direction: column;
    gap: 0.125rem;
    grid-row: 1 / -1;
    overflow: auto;
    padding: 0.875rem 0.625rem;
  }
  .brand {
    align-items: center;
    color: inherit;
    display: flex;
    font-weight: 650;
    gap: 0.5rem;
    min-block-size: 2.5rem;
    padding-inline: 0.5rem;
    text-decoration: none;
  }
  .brand .icon {
    background: var(--_accent);
    block-size: 1.5rem;
    border-radius: 0.375rem;
    color: var(--_on-accent);
    inline-size: 1.5rem;
    stroke-width: 2.25;
  }
  .rail h2 {
    color: var(--_muted);
    font-size: 0.75rem;
    font-weight: 600;
    padding: 1rem 0.5rem 0.25rem;
  }
  .rail li a {
    align-items: center;
    border-radius: var(--_radius);
    color: var(--_muted);
    display: flex;
    font-weight: 500;
    gap: 0.625rem;
    line-height: 1.25;
    min-block-size: 2.25rem;
    padding: 0.25rem 0.5rem;
    text-decoration: none;
  }
  .rail li a:hover {
    color: var(--_text);
  }
  .rail a[aria-current] {
    background: var(--_surface);
    box-shadow: 0 0 0 1px var(--_line);
    color: var(--_text);
  }
  .n {
    font-size: 0.8125rem;
    font-variant-numeric: tabular-nums;
    font-weight: 600;
    margin-inline-start: auto;
  }
  .foot {
    align-items: center;
    display: grid;
    font-size: 0.8125rem;
    gap: 0 0.5rem;
    grid-template-columns: auto minmax(0, 1fr) auto;
    margin-block-start: auto;
    padding: 0.5rem 0 0.5rem 0.5rem;
  }
  .avatar {
    background: var(--_tint);
    block-size: 1.75rem;
    border-radius: 50%;
    color: var(--_accent);
    display: grid;
    font-size: 0.75rem;
    font-weight: 650;
    grid-row: span 2;
    inline-size: 1.75rem;
    place-items: center;
  }
  .foot b {
    font-weight: 500;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .foot button {
    block-size: 2.75rem;
    grid-column: 3;
    grid-row: 1 / span 2;
    inline-size: 2.75rem;
    padding: 0;
  }
  #link {
    color: var(--_muted);
    grid-column: 2;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  #link::before {
    background: var(--_muted);
    block-size: 0.5rem;
    border-radius: 50%;
    content: "";
    display: inline-block;
    inline-size: 0.5rem;
    margin-inline-end: 0.375rem;
  }
  #link[data-link="online"]::before {
    background: var(--_success);
  }
  #link[data-link="offline"]::before {
    background: var(--_danger);
  }
  .banner {
    background: var(--_danger-tint);
    color: var(--_danger);
    font-weight: 600;
    grid-column: 2;
    padding: 0.5rem 1rem;
  }
  .banner:empty {
    padding: 0;
  }
  main {
    grid-column: 2;
    grid-row: 2;
    min-block-size: 0;
    outline: none;
  }
  .tabs {
    display: none;
  }
  @media (width < 45rem) {
    :host {
      grid-template-columns: minmax(0, 1fr);
      grid-template-rows: auto minmax(0, 1fr) auto;
    }
    .rail {
      border: 0;
      display: none;
      grid-column: 1;
      grid-row: 2;
      z-index: 2;
    }
    .rail li a {
      min-block-size: 2.75rem;
    }
    :host([more]) .rail {
      display: flex;
    }
    :host([more]) main {
      visibility: hidden;
    }
    main,
    .banner {
      grid-column: 1;
    }
    .tabs {
      background: var(--_surface);
      border-block-start: 1px solid var(--_line);
      display: flex;
      grid-row: 3;
      padding-block-end: env(safe-area-inset-bottom);
    }
    .tabs a,
    .tabs button {
      align-items: center;
      background: none;
      border: 0;
      border-radius: 0;
      color: var(--_muted);
      display: flex;
      flex: 1;
      flex-direction: column;
      font-size: 0.75rem;
      font-weight: 500;
      gap: 0;
      justify-content: center;
      min-block-size: 3.25rem;
      padding: 0.25rem;
      text-decoration: none;
    }
    .tabs .n {
      background: var(--_accent);
      border-radius: 99rem;
      color: var(--_on-accent);
      inset-block-start: 0.125rem;
      inset-inline-start: calc(50% + 0.5rem);
      line-height: 1.25;
      padding-inline: 0.3rem;
      position: absolute;
      white-space: nowrap;
    }
    .tabs a {
      position: relative;
    }
    .tabs [aria-current],
    .tabs [aria-expanded="true"] {
      color: var(--_accent);
      font-weight: 600;
    }
  }
  .skip {
    background: var(--_surface);
    inset-block-start: 0.5rem;
    inset-inline-start: 0.5rem;
    padding: 0.75rem 1rem;
    position: fixed;
    z-index: 3;
  }
  .skip:not(:focus) {
    clip-path: inset(50%);
  }
  .toasts {
    display: grid;
    gap: 0.5rem;
    inset-block-end: 1rem;
    inset-inline: 1rem;
    justify-items: center;
    pointer-events: none;
    position: fixed;
    z-index: 3;
  }
  .toast {
    align-items: center;
    background: var(--_text);
    border-radius: var(--_radius);
    box-shadow: 0 4px 24px #0005;
    color: var(--_surface);
    display: flex;
    gap: 0.75rem;
    max-inline-size: 36rem;
    padding: 0.25rem 1rem;
    pointer-events: auto;
  }
  /* The call that is named may be a long script. */
  .toast > span:first-child {
    display: -webkit-box;
    margin-block: 0.5rem;
    overflow: hidden;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: 2;
  }
  .toast > :not(:first-child) {
    flex: none;
  }
  .toast button {
    background: none;
    border-color: currentColor;
    padding: 0.25rem 0.75rem;
  }
  @media (width < 45rem) {
    .toasts {
      inset-block-end: 4rem;
    }
  }
  @media (forced-colors: active) {
    .toast {
      border: 1px solid;
    }
    .rail a[aria-current],
    .tabs [aria-current] {
      outline: 2px solid Highlight;
      outline-offset: -2px;
    }
  }
`;

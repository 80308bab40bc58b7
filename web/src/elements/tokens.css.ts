import { css } from "./element.ts";

/** The design system's values; a host page overrides the `--askback-*` names, and `color-scheme`. */
export const tokenStyles = css`
  :host {
    --_surface: var(--askback-surface, light-dark(#fff, #1c1e22));
    --_text: var(--askback-text, light-dark(#1f2328, #e8eaed));
    --_muted: var(--askback-text-muted, light-dark(#59616b, #a8b0ba));
    --_line: var(--askback-border-soft, light-dark(#dfe2e6, #353a41));
    --_edge: var(--askback-border, light-dark(#818994, #7d8590));
    --_accent: var(--askback-accent, light-dark(#2f5bd0, #9db7ff));
    --_danger: var(--askback-danger, light-dark(#b3261e, #ff9d94));
    --_success: var(--askback-success, light-dark(#1a7345, #84d8a8));
    --_on-accent: var(--askback-accent-contrast, var(--_surface));
    --_on-danger: var(--askback-danger-contrast, var(--_surface));
    --_raised: var(--askback-raised, color-mix(in srgb, var(--_text) 5%, var(--_surface)));
    --_tint: var(--askback-tint, light-dark(#eef3ff, #232c44));
    --_danger-tint: light-dark(#fdf1f0, #3a2424);
    --_success-tint: color-mix(in srgb, var(--_success) 9%, var(--_surface));
    --_focus: var(--askback-focus, var(--_accent));
    --_radius: var(--askback-radius, 0.5rem);
    --_gap: var(--askback-gap, 1.25rem);
    --_mono: var(--askback-font-mono, ui-monospace, Menlo, Consolas, monospace);
    box-sizing: border-box;
    color: var(--_text);
    color-scheme: var(--askback-scheme, light dark);
    display: block;
    font-family: var(--askback-font, system-ui, sans-serif);
    font-size: 1rem;
    line-height: 1.5;
    overflow-wrap: anywhere;
    text-align: start;
  }
  :host([hidden]),
  [hidden] {
    display: none !important;
  }
  /* A rule of the page for the element itself wins over the one above. */
  :host > * {
    font-style: normal;
    letter-spacing: normal;
    text-indent: 0;
    text-transform: none;
    white-space: normal;
    word-spacing: normal;
  }
  *,
  ::before,
  ::after {
    box-sizing: border-box;
    margin: 0;
    min-inline-size: 0;
    unicode-bidi: plaintext;
  }
  ul,
  ol {
    list-style: none;
    padding: 0;
  }
  code,
  pre {
    font-family: var(--_mono);
    font-size: 0.875em;
  }
  ::placeholder {
    color: var(--_muted);
    opacity: 1;
  }
  :focus-visible,
  label:has(:focus-visible) {
    outline: 3px solid var(--_focus);
    outline-offset: 2px;
  }
  .hidden {
    block-size: 1px;
    clip-path: inset(50%);
    inline-size: 1px;
    overflow: hidden;
    position: absolute;
    white-space: nowrap;
  }
  .icon {
    block-size: 1.25em;
    fill: none;
    flex: none;
    inline-size: 1.25em;
    stroke: currentColor;
    stroke-linecap: round;
    stroke-linejoin: round;
    stroke-width: 1.75;
    vertical-align: -0.25em;
  }
  a {
    color: var(--_accent);
    text-underline-offset: 0.15em;
  }
`;

/** Buttons, the same everywhere. */
export const buttonStyles = css`
  button {
    align-items: center;
    background: var(--_surface);
    border: 1px solid var(--_edge);
    border-radius: var(--_radius);
    color: inherit;
    cursor: pointer;
    display: inline-flex;
    font: inherit;
    font-weight: 600;
    gap: 0.5rem;
    justify-content: center;
    min-block-size: 2.75rem;
    padding: 0.5rem 1.125rem;
  }
  button.primary {
    background: var(--_accent);
    border-color: var(--_accent);
    color: var(--_on-accent);
  }
  button.danger {
    border-color: var(--_danger);
    color: var(--_danger);
  }
  button.danger.primary {
    background: var(--_danger);
    color: var(--_on-danger);
  }
  button.quiet {
    background: none;
    border-color: transparent;
    color: var(--_muted);
  }
  button:not([aria-disabled]):hover {
    box-shadow: inset 0 0 0 9rem #8882;
  }
  button[aria-disabled] {
    color: var(--_muted);
    cursor: not-allowed;
  }
  button[aria-disabled]:not(.quiet) {
    background: var(--_raised);
    border-color: var(--_line);
  }
`;

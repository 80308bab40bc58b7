import { css } from "./element.ts";

export const list = css`
  .top {
    align-items: center;
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 1rem;
    margin-block-end: 1rem;
  }
  h1 {
    flex: 1 0 auto;
    font-size: 1.5rem;
    font-weight: 680;
    letter-spacing: -0.01em;
    outline: none;
    white-space: nowrap;
  }
  .list {
    display: grid;
    gap: 0.625rem;
  }
  .list a {
    align-items: start;
    background: var(--_surface);
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) * 1.5);
    color: inherit;
    display: flex;
    gap: 0.75rem;
    padding: 0.875rem 1rem;
    text-decoration: none;
  }
  .list a:hover {
    border-color: var(--_accent);
  }
  .list a:has(.read) {
    background: none;
  }
  .list a:has(.read) > .icon {
    color: var(--_muted);
  }
  .list a > .icon {
    color: var(--_accent);
    margin-block-start: 0.125rem;
  }
  .what {
    flex: 1;
  }
  .what code {
    font-size: 0.9375rem;
  }
  .sure {
    background: var(--_surface);
    border: 1px solid var(--_danger);
    border-radius: calc(var(--_radius) * 1.5);
    display: grid;
    gap: 0.75rem;
    margin-block-end: 1rem;
    padding: 1rem;
  }
  .listed {
    list-style: disc;
    padding-inline-start: 1.25rem;
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    gap: 0.625rem;
  }
  .esc,
  .danger-mark {
    color: var(--_danger);
    font-weight: 600;
  }
  .what b {
    display: block;
    font-weight: 600;
  }
  .meta {
    color: var(--_muted);
    display: flex;
    flex-wrap: wrap;
    font-size: 0.8125rem;
    gap: 0 0.75rem;
  }
  .none {
    background: var(--_surface);
    border: 1px dashed var(--_line);
    border-radius: calc(var(--_radius) * 1.5);
    color: var(--_muted);
    padding: 3rem 1.25rem;
    text-align: center;
  }
  .none b {
    color: var(--_text);
    display: block;
    font-weight: 600;
  }
  .none .icon {
    block-size: 2rem;
    color: var(--_success);
    inline-size: 2rem;
  }
`;

import { css } from "../element.ts";

/** The composer, its hints, and a message that waits. */
export const composerStyles = css`
  .composer {
    background: var(--_surface);
    border: 1px solid var(--_edge);
    border-radius: calc(var(--_radius) * 1.5);
    display: flex;
    gap: 0.5rem;
    margin-block-start: 1.5rem;
    padding: 0.375rem;
  }
  .asked {
    margin-block-start: 1.5rem;
  }
  .composer:focus-within {
    outline: 3px solid var(--_focus);
    outline-offset: 1px;
  }
  .composer label {
    display: grid;
    flex: 1;
    outline: none;
  }
  .composer textarea {
    background: none;
    border: 0;
    color: inherit;
    field-sizing: content;
    font: inherit;
    max-block-size: 12rem;
    outline: none;
    padding: 0.625rem;
    resize: none;
  }
  .composer button {
    align-self: end;
  }
  .trouble {
    color: var(--_danger);
    font-size: 0.875rem;
    padding-block-start: 0.375rem;
  }
  .note {
    color: var(--_muted);
    font-size: 0.875rem;
    margin-block-start: 1.5rem;
    padding-inline: 0.625rem;
  }
  .note + .composer {
    margin-block-start: 0.5rem;
  }
  .closed {
    border: 1px dashed var(--_edge);
    border-radius: calc(var(--_radius) * 1.5);
    display: grid;
    gap: 0.75rem;
    padding: 1rem;
  }
  .closed textarea {
    background: var(--_surface);
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    color: var(--_text);
    field-sizing: content;
    font: inherit;
    inline-size: 100%;
    max-block-size: 12rem;
    padding: 0.625rem;
    resize: none;
  }
  .working {
    align-items: center;
    color: var(--_muted);
    display: flex;
    flex-wrap: wrap;
    font-size: 0.875rem;
    gap: 0.25rem 0.75rem;
    justify-content: space-between;
    padding-inline: 0.625rem 0.375rem;
  }
  .working::before {
    background: var(--_accent);
    block-size: 0.5rem;
    border-radius: 50%;
    content: "";
    inline-size: 0.5rem;
  }
  .working span {
    flex: 1;
  }
  @keyframes pulse {
    to {
      opacity: 0.3;
    }
  }
  @media (prefers-reduced-motion: no-preference) {
    .working::before {
      animation: 1.6s ease-in-out infinite alternate pulse;
    }
  }
  .waits {
    font-weight: 400;
    white-space: nowrap;
  }
  li:has(.waits) .text {
    background: none;
    border: 1px dashed var(--_edge);
  }
  .ask {
    align-items: center;
    color: var(--_text);
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
  }
`;

import { css } from "../element.ts";

/** Files: where they are dropped, and the list of them. */
export const fileStyles = css`
  .drop {
    border: 1px dashed var(--_line);
    border-radius: 0.375rem;
    display: grid;
    gap: 0.375rem;
    padding: 0.75rem;
  }
  .drop.over {
    border-style: solid;
    border-color: var(--_accent);
  }
  .drop input[type="file"] {
    background: none;
    border: 0;
    color: var(--_muted);
    max-inline-size: 100%;
    padding: 0;
  }
  ::file-selector-button {
    background: var(--_surface);
    border: 1px solid var(--_edge);
    border-radius: var(--_radius);
    color: var(--_text);
    cursor: pointer;
    font: inherit;
    font-weight: 600;
    margin-inline-end: 0.75rem;
    min-block-size: 2.75rem;
    padding: 0.5rem 1.125rem;
  }
  :disabled::file-selector-button {
    background: var(--_raised);
    border-color: var(--_line);
    color: var(--_muted);
    cursor: not-allowed;
  }
  progress {
    accent-color: var(--_accent);
  }
  .files {
    display: grid;
    gap: 0.375rem;
    list-style: none;
    margin: 0.5rem 0 0;
    padding: 0;
  }
  .files li {
    align-items: center;
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 0.75rem;
  }
  .files.sent {
    margin: 0;
    padding: 0.625rem 1.25rem;
  }
  .files .quiet {
    padding-inline: 0.375rem;
  }
  .files .name {
    overflow-wrap: anywhere;
  }
  .files img {
    border-radius: 0.25rem;
    max-block-size: 4rem;
    max-inline-size: 6rem;
  }
  .files .error {
    flex-basis: 100%;
    margin: 0;
  }
`;

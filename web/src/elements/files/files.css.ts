import { css } from "../element.ts";

/** Files: where they are dropped, and the list of them. */
export const files = css`
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
  .drop input {
    max-inline-size: 100%;
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

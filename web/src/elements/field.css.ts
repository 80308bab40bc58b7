import { css } from "./element.ts";

/** Labels, native inputs and the ways to show options. */
export const fieldStyles = css`
  form {
    display: grid;
    gap: var(--_gap);
  }
  form.quick {
    gap: 0.75rem;
  }
  fieldset {
    border: 0;
    padding: 0;
  }
  .tag,
  .hint,
  .option small,
  .actions .note {
    color: var(--_muted);
    font-size: 0.875rem;
  }
  .tag {
    font-weight: 400;
  }
  .field {
    display: grid;
    gap: 0.375rem;
    scroll-margin: 5rem;
  }
  .field.wrong {
    border-inline-start: 4px solid var(--_danger);
    padding-inline-start: 0.875rem;
  }
  legend {
    padding: 0;
  }
  .label {
    font-weight: 600;
  }
  .title,
  .label,
  .what {
    white-space: pre-line;
  }
  fieldset.field > legend {
    float: inline-start;
    inline-size: 100%;
  }
  fieldset:has(> .clear) {
    position: relative;
  }
  legend:has(+ .clear) {
    padding-inline-end: 9rem;
  }
  button.clear {
    font-size: 0.875rem;
    font-weight: 400;
    inset-block-start: -0.875rem;
    inset-inline-end: 0;
    padding-inline: 0.5rem;
    position: absolute;
    text-decoration: underline;
  }
  .hint {
    white-space: pre-wrap;
  }
  .hint:empty {
    position: absolute;
  }
  .error {
    color: var(--_danger);
    font-weight: 600;
  }
  input,
  select,
  textarea {
    accent-color: var(--_accent);
    color: inherit;
    font: inherit;
  }
  input:not([type="checkbox"], [type="radio"]),
  select,
  textarea {
    background: var(--_surface);
    border: 1px solid var(--_edge);
    border-radius: var(--_radius);
    inline-size: 100%;
    min-block-size: 2.75rem;
    padding: 0.5rem 0.75rem;
  }
  .wrong [aria-invalid] {
    border-color: var(--_danger);
    border-width: 2px;
  }
  textarea {
    field-sizing: content;
    max-block-size: 24rem;
    min-block-size: 6rem;
    resize: vertical;
  }
  input.short {
    max-inline-size: 16rem;
  }
  .options {
    display: grid;
    gap: 0.5rem;
  }
  .option {
    align-items: start;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    cursor: pointer;
    display: flex;
    gap: 0.75rem;
    min-block-size: 2.75rem;
    padding: 0.5625rem 0.75rem;
  }
  .option:hover,
  .chip:hover {
    background: var(--_raised);
  }
  label:has(:checked) {
    background: var(--_tint);
    border-color: var(--_accent);
  }
  label input {
    flex: none;
  }
  .option input {
    block-size: 1.5rem;
    inline-size: 1.25rem;
  }
  .option small {
    display: block;
  }
  label.danger {
    color: var(--_danger);
  }
  .badge {
    background: var(--_success-tint);
    border-radius: 1rem;
    color: var(--_success);
    display: inline-block;
    font-size: 0.75rem;
    font-weight: 600;
    margin-inline-start: 0.5rem;
    padding: 0.0625rem 0.5rem;
    white-space: nowrap;
  }
  .chips,
  .answers {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
  }
  .chip {
    align-items: center;
    border: 1px solid var(--_edge);
    border-radius: 1.5rem;
    cursor: pointer;
    display: inline-flex;
    gap: 0.5rem;
    min-block-size: 2.75rem;
    padding: 0.25rem 1rem;
    position: relative;
  }
  .segments .chip {
    border-radius: var(--_radius);
  }
  .chip input {
    block-size: 1.25rem;
    inline-size: 1.25rem;
  }
  .answers .choice {
    display: grid;
    align-content: center;
    gap: 0.125rem;
    justify-items: start;
    text-align: start;
  }
  .answers .choice small {
    color: inherit;
    font-size: 0.8125rem;
    font-weight: 400;
  }
  .answers .badge {
    margin: 0;
  }
  .switch {
    border: 0;
    padding-inline: 0;
  }
  .switch:hover,
  .switch:has(:checked) {
    background: none;
  }
  input[role="switch"] {
    appearance: none;
    background: radial-gradient(
      circle at var(--_at, 0.75rem),
      var(--_surface) 0.5rem,
      var(--_rail, var(--_edge)) 0.5625rem
    );
    border-radius: 1rem;
    inline-size: 2.75rem;
  }
  input[role="switch"]:checked {
    --_at: 2rem;
    --_rail: var(--_accent);
  }
  @media (forced-colors: active) {
    label:has(:checked) {
      outline: 2px solid Highlight;
    }
    input[role="switch"] {
      appearance: auto;
      inline-size: 1.25rem;
    }
  }
`;

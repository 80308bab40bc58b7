import { replaceStyles } from "../element.ts";
import { markdownStyles } from "../request.css.ts";

const rules = replaceStyles(markdownStyles);

/** Texts in Markdown: code, lists and quotes. */
rules`
  .description.rich {
    white-space: normal;
  }
  .description code,
  .description pre {
    background: var(--_raised);
    border-radius: 0.25rem;
    padding: 0.1em 0.3em;
  }
  .description pre {
    overflow-x: auto;
    padding: 0.625rem 0.75rem;
    white-space: pre;
  }
  .description pre code {
    font-size: 1em;
    padding: 0;
  }
  .description ul,
  .description ol {
    list-style: revert;
    padding-inline-start: 1.5rem;
  }
  blockquote {
    border-inline-start: 3px solid var(--_line);
    color: var(--_muted);
    display: grid;
    gap: 0.5rem;
    padding-inline-start: 0.875rem;
  }
`;

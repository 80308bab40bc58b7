import { css } from "../element.ts";

/** Secrets: what the agent says, the inputs, and where the values hold. */
export const secretStyles = css`
  .says {
    border-inline-start: 3px solid var(--_line);
    display: grid;
    gap: 0.25rem;
    padding-inline-start: 0.875rem;
  }
  .says > .hint {
    font-size: 0.8125rem;
  }
  .value,
  .trial {
    align-items: center;
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 0.5rem;
  }
  .value > .secret {
    flex: 1 1 8rem;
  }
  .value > .quiet {
    padding-inline: 0.5rem;
  }
  .secret {
    font-family: var(--_mono);
  }
  .label code {
    font-size: 1em;
  }
  .padded {
    font-size: 0.875rem;
  }
  .padded .icon {
    color: var(--_danger);
  }
  .a .badge {
    font-size: 0.875rem;
  }
`;

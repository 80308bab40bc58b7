import { css } from "../../../elements/element.ts";

export const agentStyles = css`
  .plain {
    display: grid;
    gap: 0.25rem;
    list-style: none;
    padding: 0;
  }
  .plain li {
    align-items: center;
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 0.625rem;
  }
  code {
    overflow-wrap: anywhere;
  }
  .stack {
    display: grid;
    gap: 0.5rem;
  }
  .stack .sample {
    align-items: center;
    display: flex;
    flex-wrap: wrap;
    gap: 0.625rem;
    justify-content: space-between;
  }
  .code {
    background: #fff;
    block-size: 15rem;
    fill: #000;
    forced-color-adjust: none;
    inline-size: 15rem;
    justify-self: center;
  }
`;

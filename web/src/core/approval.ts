import type { Person } from "./audience.ts";
import type { Vote } from "./generated/wire.ts";

/** How many people have approved so far. */
export const approvalCount = (votes: readonly Vote[] = []): number =>
  votes.filter(({ decision }) => decision === "approve").length;

/** Whether somebody has voted, as the server judges it: where no host says who they are, one name is one person. */
export const hasVoted = ({ id, name, user }: Person, votes: readonly Vote[] = []): boolean =>
  votes.some(({ by }) =>
    by.user != null && user != null && user !== id ? by.user === user : by.id === id || by.name === name,
  );

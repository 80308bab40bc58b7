/** How far the audit log was verified in this browser, and when. */

const STORAGE_KEY = "askback-verified";

interface VerifiedEntry {
  readonly seq: number;
  /** RFC 3339. */
  readonly at: string;
}

export const verificationRecord = {
  get last(): VerifiedEntry | undefined {
    const [seq, at] = (localStorage.getItem(STORAGE_KEY) ?? "").split(" ");
    return seq && at ? { seq: Number(seq), at } : undefined;
  },
  /** Keep that all entries up to `seq` fit. */
  keep(seq: number, now: number): void {
    localStorage.setItem(STORAGE_KEY, `${seq} ${new Date(now).toISOString()}`);
  },
};

/**
 * A new Idempotency-Key: 128 random bits.
 *
 * Not `randomUUID`, which a browser has only over https or on localhost.
 */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );

/** Exact decimals, read from the shortest text of a number: 0.3 is three tenths, not its nearest double. */
interface Decimal {
  digits: bigint;
  exponent: number;
}

function decimal(value: number): Decimal {
  const [mantissa = "0", power = "0"] = String(value).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}

function scaled(value: Decimal, exponent: number): bigint {
  return value.digits * 10n ** BigInt(value.exponent - exponent);
}

/** Whether `value` is `base` plus a whole number of steps. */
export function onStep(value: number, base: number, step: number): boolean {
  const parts = [decimal(value), decimal(base), decimal(step)] as const;
  const exponent = Math.min(...parts.map((part) => part.exponent));
  const [v, b, s] = parts.map((part) => scaled(part, exponent)) as [bigint, bigint, bigint];
  return (v - b) % s === 0n;
}

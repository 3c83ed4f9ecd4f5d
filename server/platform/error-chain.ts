const causesMax = 5;

/** An error and what caused it, outermost first. */
export function chainOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let link = error; link instanceof Error && chain.length < causesMax; link = link.cause) chain.push(link);
  return chain;
}

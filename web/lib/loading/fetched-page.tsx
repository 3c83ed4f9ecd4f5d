import { type ComponentType, lazy } from 'react';

/** A page whose script is fetched when it is shown, or before. */
export type FetchedPage = ComponentType & {
  /** Fetches it. From then on it is drawn without a moment in which nothing stands in its place. */
  load: () => Promise<void>;
};

/** The scripts or styles of a page could not be fetched, also with a second try. */
export class NotFetched extends Error {
  override readonly name = 'NotFetched';
  /** Called once the failure is shown. React keeps a failure, so the next visit needs another lazy component. */
  forget: () => void = () => undefined;
}

const retryDelayMs = 1_000;

/** @param fetchPage fetches the page; it is asked once, and again only where it has failed. */
export function fetchedPage(fetchPage: () => Promise<ComponentType>): FetchedPage {
  let Fetched: ComponentType | undefined;
  const load = async () => {
    Fetched ??= await fetchWithRetry(fetchPage);
    return { default: Fetched };
  };
  const lazyPage = () =>
    lazy(() =>
      load().catch((error: unknown) => {
        if (error instanceof NotFetched) error.forget = renew;
        throw error;
      }),
    );
  let Lazy = lazyPage();
  const renew = () => {
    Lazy = lazyPage();
  };
  // biome-ignore lint/correctness/noComponentHookFactories: each is made once, at the head of the module that lists the pages.
  const Page = () => (Fetched ? <Fetched /> : <Lazy />);
  return Object.assign(Page, { load: async () => void (await load()) });
}

/**
 * Fetches a part of the application, and tries again once after a second. A browser ends its requests when a person leaves the page,
 * which is no failure: the page is gone before the second try.
 *
 * @throws NotFetched if the second try fails too.
 */
export async function fetchWithRetry<Part>(fetchPart: () => Promise<Part>): Promise<Part> {
  try {
    return await fetchPart();
  } catch {
    await new Promise((resolve) => setTimeout(resolve, retryDelayMs));
    return fetchPart().catch((error: unknown) => {
      throw new NotFetched('A part of the page could not be fetched.', { cause: error });
    });
  }
}

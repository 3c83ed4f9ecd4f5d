import { type ComponentType, lazy } from 'react';

/** A page whose script is fetched when it is shown, or before. */
export type FetchedPage = ComponentType & {
  /** Fetches it. From then on it is drawn without a moment in which nothing stands in its place. */
  load: () => Promise<void>;
};

/** @param fetchPage fetches the page; it is asked once, and again only where it has failed. */
export function fetchedPage(fetchPage: () => Promise<ComponentType>): FetchedPage {
  let Fetched: ComponentType | undefined;
  const load = async () => {
    Fetched ??= await fetchPage();
    return { default: Fetched };
  };
  const Lazy = lazy(load);
  // biome-ignore lint/correctness/noComponentHookFactories: each is made once, at the head of the module that lists the pages.
  const Page = () => (Fetched ? <Fetched /> : <Lazy />);
  return Object.assign(Page, { load: async () => void (await load()) });
}

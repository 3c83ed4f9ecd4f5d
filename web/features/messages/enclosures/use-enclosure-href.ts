import { useEffect, useState } from 'react';
import { getEnclosure } from '#shared/contract/letters/enclosures.ts';
import type { Message } from '#shared/contract/messages.ts';
import type { ShownEnclosure } from '#web/components/letter/enclosures.tsx';
import { addressOf } from '#web/lib/api/api.ts';
import { useObjectUrl } from '#web/lib/use-object-url.ts';
import { type Enclosing, factsOf, fileToSend } from './enclosing.ts';

/** Where something in the envelope can be seen or heard: in the vault, or still on this device. */
export function useEnclosureHref(message: Message | undefined, enclosing: Enclosing): string | undefined {
  const url = useObjectUrl('file' in enclosing ? fileToSend(enclosing) : undefined);
  return storedHref(message, enclosing) ?? url;
}

/** All that lies in the envelope, as a letter shows it. */
export function useShownEnclosures(message: Message | undefined, enclosings: readonly Enclosing[]): ShownEnclosure[] {
  const [urls, setUrls] = useState<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    const files = enclosings.flatMap((each) => ('file' in each ? [[each.key, fileToSend(each)] as const] : []));
    const made = new Map(files.map(([key, file]) => [key, URL.createObjectURL(file)]));
    setUrls(made);
    return () => {
      for (const url of made.values()) URL.revokeObjectURL(url);
    };
  }, [enclosings]);
  return enclosings.map((enclosing) => {
    const { key, kind, caption, transcript, afterParagraph } = enclosing;
    const href = storedHref(message, enclosing) ?? urls.get(key);
    return { id: key, kind, caption, transcript, afterParagraph, ...factsOf(enclosing), href };
  });
}

function storedHref(message: Message | undefined, enclosing: Enclosing): string | undefined {
  if (!message || !('stored' in enclosing)) return undefined;
  return addressOf(getEnclosure, { params: { id: message.id, enclosureId: enclosing.stored.id } });
}

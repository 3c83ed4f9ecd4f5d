import { useEffect, useState } from 'react';
import { getEnclosure } from '#shared/contract/letters/enclosures.ts';
import type { Message } from '#shared/contract/messages.ts';
import type { ShownEnclosure } from '#web/components/letter/enclosures.tsx';
import { addressOf } from '#web/lib/api/api.ts';
import { useObjectUrl } from '#web/lib/use-object-url.ts';
import { type Enclosing, factsOf, fileToSend, originalFacts, originalToSend } from './enclosing.ts';

/** Address at which an enclosure can be seen or heard: in the vault, or still on this device. */
export function useEnclosureHref(message: Message | undefined, enclosing: Enclosing): string | undefined {
  const url = useObjectUrl('file' in enclosing ? fileToSend(enclosing) : undefined);
  return 'stored' in enclosing ? addressIn(message, enclosing.stored) : url;
}

/** All that lies in the envelope, as a letter shows it. */
export function useShownEnclosures(message: Message | undefined, enclosings: readonly Enclosing[]): ShownEnclosure[] {
  const [urls, setUrls] = useState<ReadonlyMap<File, string>>(new Map());
  useEffect(() => {
    const files = enclosings.flatMap((each) => ('file' in each ? [fileToSend(each), originalToSend(each) ?? []] : []));
    const made = new Map(files.flat().map((file) => [file, URL.createObjectURL(file)]));
    setUrls(made);
    return () => {
      for (const url of made.values()) URL.revokeObjectURL(url);
    };
  }, [enclosings]);
  return enclosings.map((enclosing) => {
    const { key, kind, caption, transcript, afterParagraph } = enclosing;
    const shown = { id: key, kind, caption, transcript, afterParagraph, ...factsOf(enclosing) };
    const kept = originalFacts(enclosing);
    if ('stored' in enclosing) {
      const original = kept && { ...kept, href: addressIn(message, enclosing.stored.original) };
      return { ...shown, href: addressIn(message, enclosing.stored), original };
    }
    const beside = originalToSend(enclosing);
    const original = kept && { ...kept, href: beside && urls.get(beside) };
    return { ...shown, href: urls.get(fileToSend(enclosing)), original };
  });
}

function addressIn(message: Message | undefined, stored: { id: string } | null): string | undefined {
  if (!message || !stored) return undefined;
  return addressOf(getEnclosure, { params: { id: message.id, enclosureId: stored.id } });
}

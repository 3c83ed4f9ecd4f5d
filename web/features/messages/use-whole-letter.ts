import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Message } from '#shared/contract/messages.ts';
import { ApiError } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { readOf } from '#web/lib/api/reads.ts';
import { sessionKey } from '#web/lib/session.ts';
import { toast } from '#web/lib/toast.ts';

export type WholeLetter = {
  /** Id of the letter that is being opened. */
  openingId: string | undefined;
  /**
   * Reads one letter with its words, as it is stored now. Null after another choice, or if the letter can't be read: a notice
   * says why, and offers `retry`.
   */
  read(id: string, retry: () => void): Promise<Message | null>;
  /** The person has chosen something else. A letter that arrives later must not take its place. */
  unwant(): void;
};

/** Reads the letter that the person chose last. */
export function useWholeLetter(): WholeLetter {
  const client = useQueryClient();
  const [openingId, setOpeningId] = useState<string>();
  const wishes = useRef(0);
  const wish = (id: string | undefined) => {
    wishes.current += 1;
    setOpeningId(id);
    return wishes.current;
  };
  useEffect(
    () => () => {
      wishes.current += 1;
    },
    [],
  );

  return {
    openingId,
    unwant: () => void wish(undefined),
    async read(id, retry) {
      const wanted = wish(id);
      const query = { ...readOf(light.getMessage, { params: { id } }), staleTime: 0, retry: false };
      const result = await client.fetchQuery(query).catch((error: Error) => error);
      if (wanted !== wishes.current) return null;
      setOpeningId(undefined);
      if (result instanceof Error) {
        tellNotOpened(result, retry);
        // The list is older than the deletion, so it is read again.
        if (result instanceof ApiError && result.type === 'NOT_FOUND') client.invalidateQueries();
        return null;
      }
      if (result === null) client.invalidateQueries({ queryKey: sessionKey });
      return result;
    },
  };
}

function tellNotOpened(error: Error, retry: () => void): void {
  const isGone = error instanceof ApiError && error.type === 'NOT_FOUND';
  toast({
    title: 'Letter not opened',
    description: isGone ? 'This letter is no longer in your vault.' : 'The connection failed. The letter is safe.',
    variant: 'destructive',
    ...(isGone ? {} : { action: { label: 'Try again', run: retry } }),
  });
}

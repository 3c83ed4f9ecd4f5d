/**
 * Shows notices of our push service, and opens the site when one is pressed. It answers no request of a page and keeps
 * nothing, so no part of a vault can stay in it.
 */
const usual = { title: 'Everkept', body: 'Please open your vault when you have a moment.' };

/** Each notice takes the place of the one before. */
const tag = 'everkept';

self.addEventListener('push', (event) => {
  const { title, body } = wordsOf(event.data);
  const icon = '/pictures/icon-192.png';
  event.waitUntil(self.registration.showNotification(title, { body, icon, badge: icon, tag, renotify: true }));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openSite());
});

function wordsOf(data) {
  try {
    return { ...usual, ...data?.json() };
  } catch {
    return usual;
  }
}

/** A page that is open comes to the front as it is. */
async function openSite() {
  const [open] = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  return open ? open.focus() : self.clients.openWindow('/dashboard');
}

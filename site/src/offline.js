// SPDX-License-Identifier: Apache-2.0
//
// Keeps the files of the page, for when the network is away. With a network they come from there.
const name = `rpl ${BUILD}`;

addEventListener('install', event => event.waitUntil(caches.open(name).then(cache => cache.addAll(FILES))));

addEventListener('activate', event => event.waitUntil(caches.keys().then(keys =>
  Promise.all(keys.filter(key => key.startsWith('rpl ') && key !== name).map(key => caches.delete(key))))));

addEventListener('fetch', event => {
  if (event.request.method !== 'GET') return;
  event.respondWith(fetch(event.request).catch(async error => {
    const kept = await (await caches.open(name)).match(event.request, { ignoreSearch: true });
    if (kept) return kept;
    throw error;
  }));
});

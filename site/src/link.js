// SPDX-License-Identifier: Apache-2.0
//
// The state of the page as the part of a link after `#`: JSON, deflated, in base64url.

const through = async (bytes, stream) =>
  new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

export async function encoded(state) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream('deflate-raw'));
  let text = '';
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

/** Throws where the text is no state. */
export async function decoded(text) {
  const binary = atob(text.replace(/-/g, '+').replace(/_/g, '/'));
  const bytes = Uint8Array.from(binary, c => c.charCodeAt(0));
  const json = new TextDecoder().decode(await through(bytes, new DecompressionStream('deflate-raw')));
  return checked(JSON.parse(json));
}

const isText = value => typeof value === 'string';

/** What a link says is somebody else's: only what has the right form is taken. */
export function checked(state) {
  const documents = (Array.isArray(state?.documents) ? state.documents : [])
    .filter(d => isText(d?.name) && isText(d?.text))
    .map(d => ({ name: d.name, text: d.text }));
  if (!documents.length) throw new Error('no document');
  const answers = state.answers && typeof state.answers === 'object' && !Array.isArray(state.answers) ? state.answers : {};
  return {
    documents,
    answers: Object.fromEntries(Object.entries(answers)),
    now: isText(state.now) ? state.now : '',
    tab: ['document', 'run', 'why', 'trace'].includes(state.tab) ? state.tab : 'run',
    why: isText(state.why) ? state.why : '',
    query: isText(state.query) ? state.query : '',
  };
}

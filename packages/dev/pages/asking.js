/** Asks the page's own server; what is refused comes back as `problem`. Throws where nobody answers. */
export async function ask(path, body) {
  const isPost = body !== undefined;
  const response = await fetch(`/inspect/api/${path}`, {
    ...(isPost && {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    }),
  });
  // The server is there and the service behind it is not.
  if (response.status >= 500) throw new Error(`HTTP ${response.status}`);
  return response.json();
}

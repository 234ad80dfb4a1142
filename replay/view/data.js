// The data of the page: the index, and the histories, which are decoded on demand.

const index = JSON.parse(document.getElementById("index").textContent);

async function decode(i) {
  const packed = atob(document.getElementById("h" + i).textContent);
  const bytes = Uint8Array.from(packed, c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

for (const row of index.rows) {
  const li = document.createElement("li");
  li.textContent = `${row.name}: ${row.verdict} (${row.model}, ${row.ops} operations)`;
  document.getElementById("list").append(li);
}

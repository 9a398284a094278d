/* bulk.hip - kernels for bulk.c, which fill and copy in the ways that runtimes and programs do it. */
#define KERNEL extern "C" __attribute__((global)) void
typedef unsigned u32;
typedef unsigned long u64;
typedef unsigned char u8;
typedef unsigned quad __attribute__((ext_vector_type(4)));
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define ITEM __builtin_amdgcn_workitem_id_x()
#define ID ((u64)GROUP * 256 + ITEM)

/* One element of `words` dwords per work-item, guarded. */
KERNEL fill_pattern(u64 *to, const u64 *pattern, u32 words, u64 n)
{
    u64 id = ID;
    if (id < n)
        for (u32 i = 0; i < words; i++)
            to[id * words + i] = pattern[i];
}
KERNEL fill_bytes(u8 *to, u32 value, u32 n)
{
    u32 id = GROUP * 256 + ITEM;
    if (id < n)
        to[id] = (u8)value;
}
KERNEL copy_words(const u32 *from, u32 *to, u64 n)
{
    u64 id = ID;
    if (id < n)
        to[id] = from[id];
}
/* Four bytes each but the last work-item, which takes what remains by bytes. */
KERNEL copy_rest(const u8 *from, u8 *to, u64 n, u32 rest)
{
    u64 id = ID;
    if (id >= n)
        return;
    if (id < n - 1 || rest == 0)
        __builtin_memcpy(to + 4 * id, from + 4 * id, 4);
    else
        for (u32 i = 0; i < rest; i++)
            to[4 * id + i] = from[4 * id + i];
}
/* Until an end address, with a tail by work-item 0. */
KERNEL copy_loop(const quad *from, quad *to, u64 end, u32 step, u32 size, u32 rest)
{
    u64 id = ID;
    while ((u64)&to[id] < end) {
        to[id] = from[id];
        id += step;
    }
    if (rest && ID == 0)
        for (u32 i = size - rest; i < size; i++)
            ((u8 *)to)[i] = ((const u8 *)from)[i];
}
/* A head that few work-items write by bytes, then tiles, the last of them guarded. */
KERNEL fill_tiles(u8 *to, const u8 *pattern, u32 head, quad tile, u64 tiles, u64 passes, u64 stride)
{
    u64 id = ID;
    if (id < head)
        to[id] = pattern[id & 3];
    quad *body = (quad *)(to + 16);
    u64 i = id, pass = 0;
    for (; pass + 1 < passes; pass++, i += stride)
        body[i] = tile;
    if (pass < passes && i < tiles)
        body[i] = tile;
}
KERNEL copy_reversed(const u32 *from, u32 *to, u32 n)
{
    u32 id = GROUP * 256 + ITEM;
    if (id < n)
        to[n - 1 - id] = from[id];
}
/* Fields of a structure of three words, one by one. */
KERNEL scatter_fields(const u32 *from, u32 *to, u32 n)
{
    u32 id = GROUP * 256 + ITEM;
    if (id < n) {
        to[3 * id] = 7;
        to[3 * id + 2] = from[id];
    }
}
/* Each work-group has its own piece, which its work-items go through together. */
KERNEL copy_pieces(const quad *from, quad *to, u32 turns)
{
    for (u32 k = 0; k < turns; k++)
        to[(GROUP * turns + k) * 256 + ITEM] = from[(GROUP * turns + k) * 256 + ITEM];
    __builtin_amdgcn_s_barrier();
}
/* Two sources, chosen by the work-item. */
KERNEL copy_halves(const u32 *a, const u32 *b, u32 *to, u32 n, u32 middle)
{
    u32 id = GROUP * 256 + ITEM;
    if (id >= n)
        return;
    if (id < middle)
        to[id] = a[id];
    else
        to[id] = b[id];
}
/* Not for bulk.c: the value depends on the work-item; a byte that is written is also read; everybody writes
 * the same place. */
KERNEL count_up(u32 *to, u32 n)
{
    u32 id = GROUP * 256 + ITEM;
    if (id < n)
        to[id] = id;
}
KERNEL one_word(u32 *to, u32 value)
{
    to[5] = value;
}
/* Only the work-items of one work-group do something else. */
KERNEL fill_but_one(u32 *to, u32 n, u32 odd)
{
    u32 id = GROUP * 256 + ITEM;
    if (GROUP == odd)
        to[id] = id * id;
    else if (id < n)
        to[id] = 0x55aa55aa;
}

/* ---- Rectangles: grids of two and three axes ---- */

#define X ((u64)GROUP * __builtin_amdgcn_workgroup_size_x() + ITEM)
#define Y ((u64)__builtin_amdgcn_workgroup_id_y() * __builtin_amdgcn_workgroup_size_y() + __builtin_amdgcn_workitem_id_y())
#define Z ((u64)__builtin_amdgcn_workgroup_id_z() * __builtin_amdgcn_workgroup_size_z() + __builtin_amdgcn_workitem_id_z())

KERNEL fill_rect(u32 *to, u32 value, u64 width, u64 height, u64 pitch)
{
    if (X < width && Y < height)
        to[Y * pitch + X] = value;
}
KERNEL copy_rect(const u8 *from, u8 *to, u64 from_pitch, u64 to_pitch, u64 width, u64 height)
{
    if (X >= width || Y >= height)
        return;
    to[Y * to_pitch + X] = from[Y * from_pitch + X];
}
KERNEL copy_box(const u8 *from, u8 *to, u64 pitch, u64 slice, u64 width, u64 height, u64 depth)
{
    if (X < width && Y < height && Z < depth)
        to[X + Y * pitch + Z * slice] = from[X + Y * pitch + Z * slice];
}
/* Inside of the rectangle one value, outside another. */
KERNEL fill_around(u32 *to, u32 width, u32 height, u32 pitch)
{
    u32 x = X, y = Y;
    if (x >= width || y >= height)
        to[y * pitch + x] = 0x11111111;
    else
        to[y * pitch + x] = 0x22222222;
}
KERNEL fill_but_row(u32 *to, u32 row, u32 pitch)
{
    u32 x = X, y = Y;
    to[y * pitch + x] = y == row ? 0x33333333 : 0x44444444;
}
KERNEL transpose(const u32 *from, u32 *to, u32 pitch)
{
    u32 x = X, y = Y;
    to[x * pitch + y] = from[y * pitch + x];
}
/* Not for bulk.c: a triangle, and all of a row write the same place. */
KERNEL fill_triangle(u32 *to, u32 n, u32 pitch)
{
    u32 x = X, y = Y;
    if (x + y < n)
        to[y * pitch + x] = 0x55555555;
}
KERNEL one_each_row(u32 *to, u32 value)
{
    to[Y] = value;
}

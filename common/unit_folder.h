/* unit_folder.h - where the relative paths of a line table begin. */
#ifndef COMMON_UNIT_FOLDER_H
#define COMMON_UNIT_FOLDER_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stddef.h>

/* The folder in which the unit was compiled (DWARF 5, section 3.1.1, DW_AT_comp_dir), where `file`, as libdw names it, is relative to it: libdw
 * leaves paths relative that begin in a relative folder, as of `cc ../src/a.hip`. NULL: it is absolute, or nothing tells. */
static inline const char *ls_unit_folder(Dwarf_Die *unit, const char *file)
{
    Dwarf_Attribute a;
    const char *folder =
        file && *file != '/' && dwarf_attr(unit, DW_AT_comp_dir, &a) ? dwarf_formstring(&a) : NULL;
    return folder && *folder == '/' ? folder : NULL;
}

#endif

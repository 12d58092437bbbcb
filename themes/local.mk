# Themes are data: one file each, installed under pkgdatadir/themes.

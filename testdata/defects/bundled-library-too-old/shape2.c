__asm__(".symver area_1, shape_area@SHAPE_1");
__asm__(".symver area_2, shape_area@@SHAPE_2");

long area_1(long side)
{
    return side * side;
}

long area_2(long side)
{
    return 2 * side * side;
}

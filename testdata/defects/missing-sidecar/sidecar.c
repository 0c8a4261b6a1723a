long sidecar_value(void)
{
    return 42;
}
